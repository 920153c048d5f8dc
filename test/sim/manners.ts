/** How browsers behave. */
export interface Manners {
  launchMs: number;
  slowLaunches: number;
  failingLaunches: number;
  hungLaunches: number;
  crashes: number;
  scriptMs: number;
}

export const goodManners: Manners = {
  launchMs: 400,
  slowLaunches: 0,
  failingLaunches: 0,
  hungLaunches: 0,
  crashes: 0,
  scriptMs: 2_000,
};
