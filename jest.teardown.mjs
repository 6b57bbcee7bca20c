// Jest's global teardown. Where Jest runs the tests in its own process (on a machine with two cores or fewer, or with one test
// file), whatever a test has left open keeps that process alive for ever: a run that is stuck rather than failed.
const GRACE_MS = 60_000;

export default function endWhatHangs() {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    console.error(`All tests have ended, but ${GRACE_MS / 1000} s later something of them is still open: ${open}.`);
    process.exit(1);
  }, GRACE_MS).unref();
}
