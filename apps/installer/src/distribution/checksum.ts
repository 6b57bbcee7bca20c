/** The checksum that lies beside an archive, as `sha256sum` writes it: a hash alone, or with the name of the file. */

/** Lower case; undefined where the text holds no hash of that file. */
export function readChecksum(text: string, fileName: string): string | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const found = lines.flatMap((line) => {
    const [, hash, name] = /^([0-9a-f]{64})(?:\s+\*?(\S.*?))?\s*$/i.exec(line) ?? [];
    return hash !== undefined && (name === undefined || name === fileName) ? [hash.toLowerCase()] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}
