import { describe, expect, it } from 'vitest';
import type { RelaySettings } from '../../../../functions/core/configuration/argocd.ts';
import { Misconfigured } from '../../../../functions/core/text/errors.ts';
import { readConfiguration } from '../../../../functions/shell/configuration/read-configuration.ts';

function fileWith(relay: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({
    clusters: [{ name: 'prod', api: { server: 'https://api.example.com:6443', tokenSecret: 'prod-token' } }],
    argocd: [{ name: 'hub', cluster: 'prod', relay }],
  });
}

function relayOf(relay: Readonly<Record<string, unknown>>): RelaySettings | undefined {
  return readConfiguration(fileWith(relay), { source: 'poolkeeper.yaml' }).argocd[0]?.relay;
}

function problemsOf(relay: Readonly<Record<string, unknown>>): readonly string[] {
  try {
    relayOf(relay);
    return [];
  } catch (error) {
    if (error instanceof Misconfigured) return error.problems;
    throw error;
  }
}

const url = 'https://argocd.example.com/api/webhook';

describe('where pushes go on to', () => {
  it('[N-26] needs an address, and waits and repeats by half a minute', () => {
    expect(relayOf({ url })).toEqual({ url, ca: undefined, waitAtMostSeconds: 30, sendAgainAfterSeconds: 30 });
  });

  it('[N-26] takes a second server for ApplicationSets and other times', () => {
    const applicationSetUrl = 'https://appset.example.com/api/webhook';

    const relay = relayOf({ url, applicationSetUrl, waitAtMost: '1m30s', sendAgainAfter: '45s' });

    expect(relay).toMatchObject({ url, applicationSetUrl, waitAtMostSeconds: 90, sendAgainAfterSeconds: 45 });
  });

  it.each([
    [{}, 'relay.url: is missing'],
    [{ url: 'http://argocd.example.com/api/webhook' }, 'https://'],
    [{ url: 'https://user:password@argocd.example.com/api/webhook' }, 'looks like a secret'],
    [{ url: 'https://169.254.169.254/api/webhook' }, 'metadata services are never called'],
    [{ url, applicationSetUrl: 'https://[fe80::1]/api/webhook' }, 'metadata services are never called'],
    [{ url, applicationSetUrl: 'http://argocd.example.com/api/webhook' }, 'https://'],
    [{ url, waitAtMost: '11m' }, 'from 1s to 10m'],
    [{ url, sendAgainAfter: '1s' }, 'from 10s to 15m'],
    [{ url, ca: 'x', caFile: 'y' }, 'stands beside ca'],
    [{ url, caFile: '/etc/passwd' }, 'relay.caFile: holds no certificate'],
    [{ url, secret: 'x' }, 'unknown key'],
  ])('%j is refused: %s', (relay, why) => {
    expect(problemsOf(relay).join('\n')).toContain(why);
  });

  it('may be on this very machine without TLS', () => {
    expect(problemsOf({ url: 'http://127.0.0.1:8080/api/webhook' })).toEqual([]);
  });
});
