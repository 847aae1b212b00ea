import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { Sequence } from '../../functions/core/configuration/sequence.ts';
import { runCommand } from '../../local/cli/run-command.ts';
import type { ControlPlane } from './harness/control-plane.ts';
import { untilGranted } from './harness/in-force.ts';
import type { Draft } from './harness/kube.ts';
import type { Lab } from './harness/lab.ts';
import { collectionOf, paths } from './harness/paths.ts';
import { type Product, type ProductOptions, startProduct } from './product.ts';

/** Where sequences of this suite keep their records, and Poolkeeper its account. */
export const sequenceHome = 'poolkeeper-sequences';

export interface SequenceRun {
  readonly product: Product;
  /** A command of a person, with the administrator's own kubeconfig. */
  readonly run: (...args: readonly string[]) => Promise<CommandResult>;
  /** As many ticks, one after the other. */
  readonly looks: (count: number) => Promise<void>;
}

export interface CommandResult {
  readonly status: number;
  readonly text: string;
}

export interface SequenceStart {
  readonly name: string;
  /** As it stands in poolkeeper.yaml. */
  readonly written: object;
  /** What Poolkeeper runs, where a test is less patient than the file may be. Default: what is written. */
  readonly sequence?: Sequence;
  readonly product?: ProductOptions;
  /** Namespace of its record and of Poolkeeper's account. */
  readonly home?: string;
}

/** Poolkeeper with the rights that the command prints for this sequence, and no others. */
export async function startSequence(lab: Lab, start: SequenceStart): Promise<SequenceRun> {
  const { name, written, sequence = Sequence.parse(written), home = sequenceHome } = start;
  const { kube, controlPlane } = lab;
  const file = await configurationFile(lab, { [name]: written });
  const token = await printedAccess(lab, file, { cluster: 'lab', controlPlane, home });
  const product = await startProduct(lab, {
    token,
    sequences: { [name]: sequence },
    policy: { sweepEverySeconds: 5 },
    ...start.product,
  });
  onTestFinished(() => kube.delete(`${paths.in(home).configMaps}/poolkeeper-sequence-${name}`));
  return {
    product,
    run: (...args) => runPlain('sequence', ...args, '--config', file, '--kubeconfig', controlPlane.kubeconfig),
    looks: async (count) => {
      for (let done = 0; done < count; done += 1) await product.look();
    },
  };
}

/** Applies the access that the command prints for the sequences, or for the runs, of this file on the cluster, and
 *  yields the token of the account. */
export async function printedAccess(
  lab: Lab,
  file: string,
  { cluster, controlPlane, home = sequenceHome, of = '--sequences' }: AccessPlace,
): Promise<string> {
  const argocd = cluster === 'lab' ? lab.argocd.namespace : 'none';
  const access = await runPlain(
    ...['manifests', '--only', 'access', '--namespace', home, '--argocd-namespace', argocd],
    ...[of, file, '--cluster', cluster],
  );
  const objects = parseAllDocuments(access.text).map((document): Draft => document.toJS());
  for (const object of objects) {
    const path = `${collectionOf(object)}/${object.metadata.name}`;
    await controlPlane.kube.patch(path, object, { type: 'apply', fieldManager: 'installer' });
    // An account that may do something is seen by whoever looks at the cluster afterwards.
    if (/Role|Validating/.test(object.kind)) onTestFinished(() => controlPlane.kube.delete(path));
  }
  const account = { namespace: home, name: 'poolkeeper' };
  const token = await controlPlane.serviceAccountToken(account);
  const ours = controlPlane.kubeAs(token);
  await untilGranted(ours, account, objects).finally(ours.close);
  return token;
}

interface AccessPlace {
  readonly cluster: string;
  readonly controlPlane: ControlPlane;
  readonly home?: string;
  /** What of the file it is for. */
  readonly of?: '--sequences' | '--runs';
}

/** A poolkeeper.yaml with these sequences, which goes with the test. */
export async function configurationFile(
  lab: Lab,
  sequences: Readonly<Record<string, object>>,
  others: readonly string[] = [],
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-sequence-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'poolkeeper.yaml');
  const clusters = ['lab', ...others].map((name, index) => ({
    name,
    api: { server: `https://127.0.0.1:${6443 + index}`, tokenSecret: name },
  }));
  const argocd = [{ name: 'lab', cluster: 'lab', namespaces: [lab.argocd.namespace] }];
  await writeFile(file, stringify({ clusters, argocd, sequences }));
  return file;
}

/** What a command printed. */
export async function runPlain(...args: readonly string[]): Promise<CommandResult> {
  let text = '';
  const out = (more: string) => {
    text += more;
  };
  const status = await runCommand(args, { out, note: out, environment: {}, now: () => new Date() });
  return { status, text };
}
