/** Template for `typia generate`: the check of what a profile archive describes. */
import typia from "typia";
import type { ArchivedContent } from "../profile-copies.ts";

export const isArchivedContent = typia.createIs<ArchivedContent>();
