import { describe, expect, it } from '@jest/globals';
import type { ResolvedSettings, Settings } from '../contract/settings.ts';
import { explicitPeer } from './explicit-peer.ts';

function resolved(
  peerId: string | undefined,
  layer: 'environment' | 'ovcli' | 'workspace' | 'workspace-local' | 'workspace-registry' | 'default',
  recallPeerScope: Settings['recallPeerScope'] = 'all',
): Pick<ResolvedSettings, 'settings' | 'provenance'> {
  return { settings: { peerId, recallPeerScope } as Settings, provenance: { peerId: { layer } } };
}

describe('explicitPeer', () => {
  it('is what environment or user-wide settings name', () => {
    expect(explicitPeer(resolved('p', 'environment'))).toBe('p');
    expect(explicitPeer(resolved('p', 'ovcli', 'actor'))).toBe('p');
    expect(explicitPeer(resolved(undefined, 'default'))).toBeUndefined();
  });

  it.each(['workspace', 'workspace-local', 'workspace-registry'] as const)(
    'is never what the folder says in which the client happened to start the proxy: %s',
    (layer) => {
      expect(explicitPeer(resolved('p', layer))).toBeUndefined();
      expect(() => explicitPeer(resolved('p', layer, 'actor'))).toThrow('no peer is set');
    },
  );

  it('is demanded in actor scope', () => {
    expect(() => explicitPeer(resolved(undefined, 'default', 'actor'))).toThrow('recallPeerScope "actor"');
  });
});
