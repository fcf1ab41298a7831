// What the workbench and its cards are given.
import type { Catalogue } from "../catalogue.js";
import type { Linked } from "../link.js";
import type { Kept } from "../kept.js";
import type { Clerk } from "../worker/clerk.js";
import type { Office } from "../worker/office.js";

/** What the view needs. */
export interface BenchNeeds {
  office: Kept<Office>;
  desk: Clerk;
  catalogue: Catalogue;
  linked: Linked;
}

/** The fleet and the server. */
export interface Fleet {
  clients: number;
  capacity: number;
}
