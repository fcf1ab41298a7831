import { expect, use } from "chai";
import stormlintChai from "stormlint/chai";

use(stormlintChai);
expect("full:1s:30s").to.be.stormSafe({ clients: 100, capacity: 10 });
expect("fixed:1s").to.not.have.noFinding("fixed-locked");
// @ts-expect-error: an option that is none
expect("fixed:1s").to.be.stormSafe({ servers: 3 });
