/** Names that no other process and no other moment uses: for temporary files and lock owners. No secret, no randomness needed. */
let count = 0;

export function uniqueName(): string {
  count += 1;
  return `${process.pid.toString(36)}-${process.hrtime.bigint().toString(36)}-${count.toString(36)}`;
}
