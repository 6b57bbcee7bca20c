// Preloaded into a measured process: leaves the most memory that it ever had resident, in KB, in the file RSS_FILE names.
// eslint-disable-next-line @typescript-eslint/no-require-imports -- a preloaded module is CommonJS
const { writeFileSync } = require('node:fs');

process.on('exit', () => {
  const file = process.env.RSS_FILE;
  // A worker inherits the environment, but not the question.
  if (file !== undefined && process.env.OPENVIKING_HOOK_DEPTH === undefined) {
    writeFileSync(file, String(process.resourceUsage().maxRSS));
  }
});
