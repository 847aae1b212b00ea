import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** A pod as far as a thread shows it; the rest is as Kubernetes would make it. */
const SeenPod = z.strictObject({
  name: z.string(),
  namespace: z.string(),
  /** `worker-2` is the node in trouble. Without it the pod is Pending. */
  node: z.string().optional(),
  /** Label by which a budget selects it. */
  app: z.string(),
  /** Null: nobody made it. */
  owner: z.strictObject({ kind: z.string(), name: z.string() }).nullable(),
  labels: z.record(z.string(), z.string()).default({}),
  ready: z.boolean().default(true),
  /** What the scheduler says of a Pending pod. */
  notScheduled: z.string().default(''),
  /** Reason and message of a container that waits, as `CrashLoopBackOff`. */
  waiting: z.strictObject({ reason: z.string(), message: z.string() }).optional(),
  /** It should be gone since so many minutes. */
  overdueMinutes: z.number().optional(),
  finalizers: z.array(z.string()).default([]),
});
export type SeenPod = z.infer<typeof SeenPod>;

/** A disruption budget as far as a thread shows it. */
const SeenBudget = z.strictObject({
  name: z.string(),
  namespace: z.string(),
  app: z.string(),
  owner: z.strictObject({ kind: z.string(), name: z.string() }).nullable(),
  minAvailable: z.union([z.number(), z.string()]).optional(),
  maxUnavailable: z.union([z.number(), z.string()]).optional(),
  expected: z.number(),
  desired: z.number(),
  healthy: z.number(),
  allowed: z.number(),
});
export type SeenBudget = z.infer<typeof SeenBudget>;

const Seen = z.strictObject({
  pods: z.array(SeenPod).default([]),
  budgets: z.array(SeenBudget).default([]),
  /** Certificate requests that are pending: for the node in trouble unless `forNode` says another. */
  pendingRequests: z
    .array(
      z.strictObject({
        name: z.string(),
        by: z.enum(['node', 'bootstrapper']),
        forNode: z.string().default('worker-2'),
      }),
    )
    .default([]),
  /** Objects of other kinds as the API server has them, by the path of their list. */
  others: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))).default({}),
});
export type Seen = z.infer<typeof Seen>;

/** One public report: what a program printed, and what the thread found out. */
const FieldReport = z.object({
  /** The thread. */
  url: z.url(),
  /** For the table. */
  group: z.string(),
  /** `bare`: the reason of a node as the MCO gives it. `rebase` to `finalize`: the error of rpm-ostree or podman
   *  alone, which is put into the words that the MCO has around it in that step. `drain`: the error of a drain that
   *  goes on, as the MCO passes it on. `render`, `build`: the message of the pool's condition. `tuning`: the
   *  message of a KubeletConfig's condition. `silent`: what the node's condition Ready says of a node that does not
   *  come back. */
  frame: z.enum([
    'bare',
    'rebase',
    'install',
    'kargs',
    'override',
    'status',
    'podman',
    'finalize',
    'drain',
    'render',
    'build',
    'tuning',
    'silent',
  ]),
  text: z.string(),
  /** Objects beside the text that the thread shows: what the cause is decided from where the text alone cannot. */
  seen: Seen.prefault({}),
  /** In our words. */
  cause: z.string(),
  remedy: z.string(),
  /** Codes that say this cause. */
  right: z.array(z.string()),
  /** Codes that say what failed and not why, or what follows from the cause. */
  close: z.array(z.string()),
  /** Who confirmed it; `text`: nobody did, the error says it. */
  confirmedBy: z.enum(['maintainer', 'reporter', 'text']),
  /** 1: gathered before any rule was written with these reports. 2: after the rules that the first score led to. 3: by
   *  somebody who writes no rules. */
  batch: z.union([z.literal(1), z.literal(2), z.literal(3)]),
});
export type FieldReport = z.infer<typeof FieldReport>;

/** `learn`: rules may be written with it. `held`: it is only scored. The hash of the address decides. */
export const halves = ['learn', 'held'] as const;
export type Half = (typeof halves)[number];

/** Even first 32 bits of the SHA-256 of the address: `learn`. */
export function halfOf(url: string): Half {
  return createHash('sha256').update(url).digest().readUInt32BE(0) % 2 === 0 ? 'learn' : 'held';
}

export function fieldReports(half: Half): readonly FieldReport[] {
  const path = join(import.meta.dirname, half, 'reports.json');
  const reports = z.array(FieldReport).parse(JSON.parse(readFileSync(path, 'utf8')));
  return reports.map((report) => ({ ...report, close: [...report.close, ...(laterCodes[report.group] ?? [])] }));
}

/** Codes that the catalogue got after reports of such a group had been labelled. They name the step that the group is
 *  about, so they are close; that they are right would have to be read from each report. */
const laterCodes: Readonly<Record<string, readonly string[]>> = { 'etc merge': ['N35'] };

const image =
  'quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:5c1b1d0a3c4e4f5f6a7b8c9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b';

/** The text as the MCO would give it. Forms: MCO pkg/daemon, updateLayeredOS, runCmdSync, runGetOut. */
export function reasonOf({ frame, text }: Pick<FieldReport, 'frame' | 'text'>): string {
  const run = (line: string, shown = text) => `error running ${line}: error: ${shown}\n: exit status 1`;
  switch (frame) {
    case 'bare':
    case 'drain':
    case 'render':
    case 'build':
    case 'tuning':
    case 'silent':
      return text;
    case 'rebase':
      return `failed to update OS to ${image} after retries: ${run(`rpm-ostree rebase --experimental ostree-unverified-registry:${image}`)}: timed out waiting for the condition`;
    case 'install':
      return run('rpm-ostree update --install usbguard');
    case 'kargs':
      return run('rpm-ostree kargs --append=nosmt');
    case 'override':
      return run('rpm-ostree override remove kernel --install kernel-rt-core');
    case 'status':
      return `error running rpm-ostree status --json: exit status 1\nerror: ${text}`;
    case 'podman':
      return `failed to update OS to ${image} : error running podman pull -q --authfile /var/lib/kubelet/config.json ${image}: Error: ${text}\n: exit status 125`;
    case 'finalize':
      return `unexpected on-disk state validating against rendered-worker-bbb: expected target osImageURL "${image}", have "quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:00ff"; possible root cause: error: ${text}`;
    default:
      return frame satisfies never;
  }
}
