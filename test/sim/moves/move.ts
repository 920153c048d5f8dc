/** One random call of a user. */
import type { World } from "../world.ts";

export type Move = (world: World) => void;
