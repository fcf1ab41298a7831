// What the workbench and its cards are given.
import type { Catalogue } from "../catalogue.js";
import type { Linked } from "../link.js";
import type { Clerk, Office } from "../worker/clerk.js";

/** What the view needs. */
export interface BenchNeeds {
  office: Promise<Office>;
  desk: Clerk;
  catalogue: Catalogue;
  linked: Linked;
}

/** The fleet and the server. */
export interface Fleet {
  clients: number;
  capacity: number;
}
