import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** One public report: what a program printed, and what the thread found out. */
const FieldReport = z.object({
  /** The thread. */
  url: z.url(),
  /** For the table. */
  group: z.string(),
  /** `bare`: the text as the MCO gives it. Otherwise the error of rpm-ostree or podman alone, which is put into the
   *  words that the MCO has around it in that step. */
  frame: z.enum(['bare', 'rebase', 'install', 'kargs', 'override', 'status', 'podman', 'finalize']),
  text: z.string(),
  /** In our words. */
  cause: z.string(),
  remedy: z.string(),
  /** Codes that say this cause. */
  right: z.array(z.string()),
  /** Codes that say what failed and not why, or what follows from the cause. */
  close: z.array(z.string()),
  /** Who confirmed it; `text`: nobody did, the error says it. */
  confirmedBy: z.enum(['maintainer', 'reporter', 'text']),
  /** 1: gathered before any rule was written with these reports. 2: after the rules that the first score led to. */
  batch: z.union([z.literal(1), z.literal(2)]),
});
export type FieldReport = z.infer<typeof FieldReport>;

/** `learn`: rules may be written with it. `held`: it is only scored. A hash of the address decides. */
export const halves = ['learn', 'held'] as const;
export type Half = (typeof halves)[number];

export function fieldReports(half: Half): readonly FieldReport[] {
  const path = join(import.meta.dirname, half, 'reports.json');
  return z.array(FieldReport).parse(JSON.parse(readFileSync(path, 'utf8')));
}

const image =
  'quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:5c1b1d0a3c4e4f5f6a7b8c9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b';

/** The text as it would stand in a node's reason. Forms: MCO pkg/daemon, updateLayeredOS, runCmdSync, runGetOut. */
export function reasonOf({ frame, text }: FieldReport): string {
  const run = (line: string, shown = text) => `error running ${line}: error: ${shown}\n: exit status 1`;
  switch (frame) {
    case 'bare':
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
