import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  alertSecrets,
  clusterTokenSecrets,
  gateSecrets,
  readConfiguration,
  ruleSecrets,
  senders,
} from '../../infra/configuration.ts';
import { configuration } from './configuration.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'poolkeeper-configuration-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function written(content: unknown): string {
  const file = join(folder, 'poolkeeper.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
}

describe('the configuration that the stack reads', () => {
  it('is what the functions are given, as far as the stack must know it', () => {
    const file = written({
      ...configuration,
      argocd: [{ name: 'hub', relay: { url: 'https://argocd.example.com/api/webhook' } }, { name: 'edge' }],
      clusters: configuration.clusters.map((c) => ({ ...c, policy: {} })),
    });

    expect(readConfiguration(file)).toEqual(configuration);
  });

  it('says every problem at once, with its path', () => {
    const file = written({
      clusters: [{ name: 'prod eu', api: {} }],
      alerts: { targets: [{ kind: 'pigeon' }] },
    });

    const read = () => readConfiguration(file);

    expect(read).toThrow(/clusters\[0\]\.name/);
    expect(read).toThrow(/clusters\[0\]\.api\.tokenSecret/);
    expect(read).toThrow(/alerts\.targets\[0\]\.kind/);
  });

  it('without a cluster is refused: the clock would have nothing to look at', () => {
    expect(() => readConfiguration(written({ ...configuration, clusters: [] }))).toThrow(/nothing to keep/);
  });

  it('that was never written is missed with the command that writes it', () => {
    expect(() => readConfiguration(join(folder, 'absent.json'))).toThrow(/npx cdk synth/);
  });
});

describe('what the configuration asks for', () => {
  it('is each secret once, however many clusters and channels share it', () => {
    const [first] = configuration.clusters;
    const twice = first ? [first, { ...first, name: 'twin' }] : [];

    expect(clusterTokenSecrets({ ...configuration, clusters: twice })).toEqual(['poolkeeper/clusters/prod-eu']);
    expect(alertSecrets(configuration)).toEqual([
      'poolkeeper/slack',
      'poolkeeper/slack-webhook',
      'poolkeeper/pagerduty',
      'poolkeeper/hook',
      'poolkeeper/hook-key',
    ]);
  });

  it('[S4-26] [S2-6] is the secrets of gates and rules of runs and sequences, wherever they stand, and none of Jobs', () => {
    const http = (name: string) => ({ url: 'https://example.com', headerSecret: `poolkeeper/${name}` });
    const asked = {
      sequences: {
        virt: { steps: { operator: { waitFor: { any: [{ http: http('any') }, { http: http('shared') }] } } } },
        other: { steps: { check: { kind: 'check', waitFor: { http: http('check') } } } },
      },
      nodeTurns: {
        rules: {
          told: { http: { ...http('rule'), signingSecret: 'poolkeeper/key' } },
          waits: { type: 'gate', gate: { http: http('gate') } },
          move: { jobSpec: { template: { http: http('job') } } },
        },
        runs: { upgrade: { gates: [{ http: http('run') }, { http: http('shared') }] } },
      },
    };
    const read = readConfiguration(written({ ...configuration, ...asked }));

    expect(ruleSecrets(read)).toEqual(['poolkeeper/rule', 'poolkeeper/key']);
    expect(gateSecrets(read).toSorted()).toEqual(
      ['any', 'check', 'gate', 'rule', 'run', 'shared'].map((name) => `poolkeeper/${name}`),
    );
  });

  it('is the bare address of mail through SES; mail through a server of ones own needs no right', () => {
    expect(senders(configuration)).toEqual(['alerts@example.com']);
  });
});
