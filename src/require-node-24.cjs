/* The Procfile loads this first: an older Node.js would only say that it does not know files that end in .ts. */
const wanted = 24;
if (Number.parseInt(process.versions.node, 10) < wanted) {
  console.error(`This service needs Node.js ${wanted}; this is ${process.version} (${process.execPath}).`);
  process.exit(1);
}
