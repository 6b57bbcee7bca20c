// Reads one JSON value from stdin and does one HTTP POST with it: what a prompt hook cannot do without.
// eslint-disable-next-line @typescript-eslint/no-require-imports -- CommonJS like the bundles that are measured against it
const { request } = require('node:http');
let text = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  text += chunk;
});
process.stdin.on('end', () => {
  const body = JSON.stringify({ query: JSON.parse(text).prompt, mode: 'context', purpose: 'coding' });
  const outgoing = request(
    `${process.env.REFERENCE_URL}/api/v1/search/search`,
    { method: 'POST', headers: { 'content-type': 'application/json' }, agent: false },
    (incoming) => {
      let answer = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk) => {
        answer += chunk;
      });
      incoming.on('end', () => process.stdout.write(String(JSON.parse(answer).result.rendered)));
    },
  );
  outgoing.end(body);
});
