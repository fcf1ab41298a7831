// What the view of a log and the parts of its report are given.
import type { Catalogue } from "../catalogue.js";
import type { Linked } from "../link.js";
import type { Kept } from "../kept.js";
import type { Clerk } from "../worker/clerk.js";
import type { Office } from "../worker/office.js";
import type { Analysis } from "./analyze.js";
import type { Look } from "./look.js";
import type { Settings } from "./settings.js";
import type { Report } from "../../src/report.js";

/** What the view needs. */
export interface CheckNeeds {
  office: Kept<Office>;
  desk: Clerk;
  catalogue: Catalogue;
  sample: Kept<File>;
  linked: Linked;
  /** Takes a policy to the workbench. */
  workbench(policy: string, clients: number, capacity: number | undefined): void;
}

/** What the sections of a report need. */
export interface ReportNeeds extends CheckNeeds {
  files: File[];
  settings: Settings;
  analysis: Analysis;
  report: Report;
  look: Look | undefined;
  /** Opens the form of how the log is read. */
  change(): void;
}
