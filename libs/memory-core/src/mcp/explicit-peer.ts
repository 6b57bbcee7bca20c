/**
 * The peer that the MCP proxy may send. A client starts the proxy in whatever folder it likes, so that folder says nothing
 * about the conversation's workspace: a peer guessed from it would file memories under the wrong project.
 */
import type { ResolvedSettings } from '../contract/settings.ts';
import { OpenVikingError } from '../errors/error.ts';

/** Layers that depend on the working directory. */
const BOUND_TO_FOLDER = new Set(['workspace-registry', 'workspace-local', 'workspace']);

/**
 * The peer set by environment or user-wide settings, else undefined. Throws (`mcp/actor-scope-without-peer`) when recall
 * is limited to the actor's own memories and there is no such peer: every answer would silently be the wrong one.
 */
export function explicitPeer(resolved: Pick<ResolvedSettings, 'settings' | 'provenance'>): string | undefined {
  const { settings, provenance } = resolved;
  const layer = provenance.peerId?.layer;
  const peer = layer !== undefined && BOUND_TO_FOLDER.has(layer) ? undefined : settings.peerId;
  if (peer === undefined && settings.recallPeerScope === 'actor') {
    throw new OpenVikingError({
      code: 'mcp/actor-scope-without-peer',
      message: 'The MCP tools are limited to one peer (recallPeerScope "actor"), but no peer is set for them.',
      next: 'Set OPENVIKING_PEER_ID, or peerId in the plugin section of ovcli.conf, or recallPeerScope to "all".',
    });
  }
  return peer;
}
