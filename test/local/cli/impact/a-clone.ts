import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { impact } from '../../../../local/cli/impact/impact.ts';

/** A clone of acme/platform, in which the branch `topic` changes `nodes/chrony.yaml`, and recordings beside it. */
export interface Clone {
  readonly folder: string;
  git(...args: readonly string[]): void;
  write(path: string, text: string): Promise<void>;
  /** The recording of a cluster with the pool `worker` and these Applications. */
  record(...applications: readonly object[]): Promise<void>;
  /** What `impact` says of a change by that recording, or by `--cluster`, with `--fail-on reboot`. */
  predict(...flags: readonly string[]): Promise<Predicted>;
  /** The same of two folders, without a clone. */
  predictFolders(...flags: readonly string[]): Promise<Predicted>;
  remove(): Promise<void>;
}

interface Predicted {
  readonly status: number;
  readonly text: string;
  readonly notes: string;
}

export async function aClone(branch: string): Promise<Clone> {
  const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-impact-'));
  const git = (...args: readonly string[]) => {
    const who = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgsign=false'];
    execFileSync('git', ['-C', folder, ...who, ...args], { stdio: 'ignore' });
  };
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  git('init', '-q', '-b', branch);
  git('remote', 'add', 'origin', 'git@github.com:acme/platform.git');
  await write('nodes/chrony.yaml', chrony('old.example.com'));
  git('add', 'nodes');
  git('commit', '-q', '-m', 'one');
  git('checkout', '-q', '-b', 'topic');
  await write('nodes/chrony.yaml', chrony('new.example.com'));
  git('commit', '-q', '-a', '-m', 'two');
  const predict = async (...flags: readonly string[]) => {
    const out: string[] = [];
    const notes: string[] = [];
    const seen = flags.includes('--cluster') ? [] : ['--snapshot', join(folder, 'seen.json')];
    const status = await impact.run(['--no-diff', '--fail-on', 'reboot', ...seen, ...flags], {
      out: (text) => out.push(text),
      note: (text) => notes.push(text),
      environment: { COLUMNS: '1000', POOLKEEPER_TOKEN: 'token' },
      now: () => new Date('2026-03-02T08:01:00Z'),
    });
    return { status, text: out.join('').replaceAll(/\s+/g, ' '), notes: notes.join('\n') };
  };
  return {
    folder,
    git,
    write,
    record: (...applications) => write('seen.json', JSON.stringify({ kind: 'List', items: [pool, ...applications] })),
    predict: (...flags) => predict('--repo', folder, '--to', 'topic', ...flags),
    async predictFolders(...flags) {
      await write('before/nodes/chrony.yaml', chrony('old.example.com'));
      await write('after/nodes/chrony.yaml', chrony('new.example.com'));
      return predict('--dir', join(folder, 'before'), join(folder, 'after'), ...flags);
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

export function anApplication(name: string, source: object = {}, more: object = {}) {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'openshift-gitops' },
    spec: {
      project: 'default',
      destination: { server: 'https://kubernetes.default.svc' },
      source: { repoURL: 'https://github.com/acme/platform', path: 'nodes', targetRevision: 'main', ...source },
    },
    ...more,
  };
}

function chrony(server: string): string {
  return `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: { name: 99-worker-chrony, labels: { machineconfiguration.openshift.io/role: worker } }
spec:
  config:
    ignition: { version: 3.4.0 }
    storage: { files: [{ path: /etc/chrony.conf, contents: { source: "data:,${server}" } }] }
`;
}

export const pool = {
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineConfigPool',
  metadata: { name: 'worker', uid: 'worker', resourceVersion: '1' },
  spec: {
    machineConfigSelector: { matchLabels: { 'machineconfiguration.openshift.io/role': 'worker' } },
    nodeSelector: { matchLabels: {} },
  },
  status: {},
};
