// Reads one JSON value from stdin: what a guard cannot do without.
let text = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  text += chunk;
});
process.stdin.on('end', () => {
  JSON.parse(text);
});
