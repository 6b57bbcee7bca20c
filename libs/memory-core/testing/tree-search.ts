/** Looks for a text in every file of a folder: the way to prove that a secret came to rest nowhere. */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Relative paths of all files below `root` that contain `text`, in their bytes or in their name; links are not followed. */
export function searchTree(root: string, text: string): readonly string[] {
  const found: string[] = [];
  const visit = (relative: string): void => {
    const absolute = join(root, relative);
    const stat = lstatSync(absolute);
    if (stat.isDirectory()) {
      for (const name of readdirSync(absolute).sort()) visit(join(relative, name));
    } else if (relative.includes(text) || (stat.isFile() && readFileSync(absolute).includes(text))) {
      found.push(relative);
    }
  };
  visit('.');
  return found;
}
