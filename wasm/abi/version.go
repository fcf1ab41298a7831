package abi

// Number is the version of the seam: it changes when an old caller could misread a new module. Both sides compare it
// first.
const Number = 1

// Product is stormlint's version, the same word in the module, the command line and the npm package.
const Product = "0.1.0"
