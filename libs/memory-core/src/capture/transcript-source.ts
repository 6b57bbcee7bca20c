/** Where a conversation's own record lies: the same question in prompt, capture and worker, so that all read one file. */
import type { SessionRef } from '../contract/event.ts';
import type { Harness } from '../contract/harness.ts';
import { openTranscript, type OpenTranscript } from './open-transcript.ts';

/** How the host names a conversation and its record; kept with every note, for the worker that comes later. */
export interface TranscriptSource {
  readonly nativeId: string;
  readonly subagentId?: string;
  /** As an event of the host named it. */
  readonly transcriptPath?: string;
}

/** The source that an event names. */
export function sourceOf(event: { readonly session: SessionRef; readonly transcriptPath?: string }): TranscriptSource {
  const { session, transcriptPath } = event;
  return {
    nativeId: session.nativeId,
    ...(session.subagent === undefined ? {} : { subagentId: session.subagent.id }),
    ...(transcriptPath === undefined ? {} : { transcriptPath }),
  };
}

/** The conversation's record, open; undefined when the client keeps none or it does not exist yet. */
export function openSource(
  { transcript }: Harness,
  source: TranscriptSource,
  place: { readonly home: string; readonly env: Readonly<Record<string, string | undefined>> },
): OpenTranscript | undefined {
  return transcript && openTranscript(transcript.locate({ ...source, home: place.home, env: place.env }));
}
