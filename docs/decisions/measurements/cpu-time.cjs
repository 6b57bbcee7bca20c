// Loaded with --require: leaves the processor time of a program, in µs, where CPU_FILE says; not that of its children.
const { writeFileSync } = process.getBuiltinModule('node:fs');
const file = process.env.CPU_FILE;
delete process.env.CPU_FILE;
delete process.env.NODE_OPTIONS;
if (file !== undefined) {
  process.once('exit', () => {
    const { user, system } = process.cpuUsage();
    writeFileSync(file, String(user + system));
  });
}
