import { join } from 'node:path';
import { systemProgram } from './debian.ts';
import { buildPart, type Part, partFolder, type Say } from './part.ts';
import { argocd, argocdManifests, etcd, kubernetes, openshiftDefinitions } from './parts.ts';

/** Where everything lies that the harness starts or installs. */
export interface Toolchain {
  readonly etcd: string;
  readonly kubeApiserver: string;
  readonly kubeControllerManager: string;
  readonly kubeScheduler: string;
  readonly kubectl: string;
  readonly argocd: string;
  readonly redisServer: string;
  readonly git: string;
  /** Folder of {@link openshiftDefinitions}. */
  readonly openshiftDefinitions: string;
  /** Folder of {@link argocdManifests}. */
  readonly argocdManifests: string;
}

/** A part that cannot be had. Nothing is skipped for want of a part: the run fails with this line. */
class ToolchainIncomplete extends Error {
  override readonly name = 'ToolchainIncomplete';
}

/** Said while a build goes on, so that a silent quarter of an hour is not taken for a hang. */
const reminderMs = 60_000;

/**
 * Makes what is missing, one part after the other (a Go build uses all cores by itself), and says where it lies.
 * With everything in the cache it takes milliseconds.
 */
export async function buildToolchain(say: Say): Promise<Toolchain> {
  const git = await part('git', () => systemProgram('git', 'git', say));
  const redisServer = await part('redis-server', () => systemProgram('redis-server', 'redis-server', say));
  for (const each of [openshiftDefinitions, etcd, kubernetes, argocdManifests, argocd]) await makePart(each, say);
  const kubernetesFolder = partFolder(kubernetes);
  return {
    git,
    redisServer,
    etcd: join(partFolder(etcd), 'etcd'),
    kubeApiserver: join(kubernetesFolder, 'kube-apiserver'),
    kubeControllerManager: join(kubernetesFolder, 'kube-controller-manager'),
    kubeScheduler: join(kubernetesFolder, 'kube-scheduler'),
    kubectl: join(kubernetesFolder, 'kubectl'),
    argocd: join(partFolder(argocd), 'argocd'),
    openshiftDefinitions: partFolder(openshiftDefinitions),
    argocdManifests: partFolder(argocdManifests),
  };
}

async function makePart(each: Part, say: Say): Promise<void> {
  const startedMs = performance.now();
  const reminder = setInterval(() => {
    say(`${each.name} ${each.version}: still at it after ${Math.round((performance.now() - startedMs) / 60_000)} min`);
  }, reminderMs);
  try {
    await part(`${each.name} ${each.version}`, () => buildPart(each, say));
  } finally {
    clearInterval(reminder);
  }
}

async function part<T>(name: string, make: () => Promise<T>): Promise<T> {
  return make().catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ToolchainIncomplete(`cannot get ${name}: ${reason.replaceAll(/\s*\n\s*/g, ' | ')}`, { cause });
  });
}
