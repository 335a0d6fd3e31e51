// Loaded before the service, as plain JavaScript that any Node can read. Older ones know no TypeScript, and would say only that.
const [major] = process.versions.node.split(".");
if (Number(major) < 24) {
  console.error(
    `Hubbub needs Node 24, and this is Node ${process.versions.node}. ` +
      "Run `npm ci`, which installs it in this folder, and then `npm start`.",
  );
  process.exit(1);
}
