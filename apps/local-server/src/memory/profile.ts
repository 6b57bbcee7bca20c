/**
 * Composes `memories/profile.md`, which clients put in front of every conversation. It is made when it is read, so it
 * can neither go stale nor keep what was forgotten.
 */
import { firstSentence } from './bounded-text.ts';

export interface Preference {
  readonly content: string;
  readonly peerId: string | undefined;
  readonly updatedAt: number;
}

/** The profile, newest preference first; undefined without any. */
export function composeProfile(preferences: readonly Preference[]): string | undefined {
  if (preferences.length === 0) return undefined;
  const lines = preferences.map((preference) => {
    const day = new Date(preference.updatedAt).toISOString().slice(0, 10);
    const where = preference.peerId === undefined ? '' : `, in ${preference.peerId}`;
    return `- ${firstSentence(preference.content, 300)} (${day}${where})`;
  });
  return ['# User profile', '', 'Stated by the user, newest first.', '', ...lines].join('\n');
}
