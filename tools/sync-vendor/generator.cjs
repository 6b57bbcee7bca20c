// Nx loads a generator with require(); Node 20.18 cannot require an ES module, so this file imports it.
module.exports = async (tree) => (await import('./src/generator.mjs')).syncVendor(tree);
