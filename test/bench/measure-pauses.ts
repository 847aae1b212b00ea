import { setTimeout } from 'node:timers/promises';
import type { ControlPlane } from '../cluster/harness/control-plane.ts';
import type { Kube } from '../cluster/harness/kube.ts';
import { paths } from '../cluster/harness/paths.ts';
import { type BenchProduct, startBenchProduct } from './bench-product.ts';
import { type PlainClient, plainClient } from './plain-client.ts';
import { type Mark, type Stopwatch, stopwatch, timeReceipt } from './stopwatch.ts';
import { createApplication, createPool, resetPool } from './world.ts';

/** Milliseconds. One GET and one PATCH of the pool over plain `node:https`. */
export interface BaselineSample {
  readonly total: number;
  readonly get: number;
  readonly patch: number;
}

/** Milliseconds of one push, and of the parts that make it up. */
export interface PauseSample {
  /** From the push at our HTTP server to the answer to the PATCH. */
  readonly paused: number;
  /** From the push at our HTTP server to the end of a GET that shows the pool paused. */
  readonly readBack: number;
  /** Signature, schema, queue: until keep-pools turns to the cluster. */
  readonly receive: number;
  /** Until Applications, pools and the table's memory were read, side by side. */
  readonly look: number;
  /** Until the PATCH leaves. */
  readonly decide: number;
  readonly patch: number;
  /** The GET alone. */
  readonly get: number;
  /** What the pass does when the pool is paused: event, race, timeline, memory, view. */
  readonly afterwards: number;
}

export interface PauseSamples {
  readonly baseline: readonly BaselineSample[];
  readonly pauses: readonly PauseSample[];
}

/** Pools of the cluster; the first is the one that is paused. */
export const benchPools = ['worker', 'infra', 'storage'] as const;
/** Applications of the Argo CD instance; the push is about the repository of the first. */
export const benchApplications = ['nodes', 'ingress', 'logging', 'monitoring', 'registry'] as const;

const poolPath = `${paths.pools}/${benchPools[0]}`;

/** Rest before each sample, milliseconds. An API server asks etcd how far it is at most every 100 ms for the lists of
 *  one kind; a list that follows another sooner waits for that, which says nothing about a push that comes alone.
 *  Source: k8s.io/apiserver, storage/cacher/progress, progressRequestPeriod. */
const restMs = 130;

export interface PauseOptions {
  readonly samples: number;
  /** Rounds before the first that counts. */
  readonly warmUp: number;
}

/** Takes one sample of each in turn, in changing order, so that whatever else the machine does falls on both alike. */
export async function measurePauses(
  controlPlane: ControlPlane,
  { samples, warmUp }: PauseOptions,
): Promise<PauseSamples> {
  const { kube } = controlPlane;
  await createWorld(kube);
  const watch = stopwatch();
  const stopTiming = timeReceipt(watch);
  const plain = plainClient(controlPlane);
  const readBack = async () => {
    if ((await plain.get(poolPath)).spec.paused === true) watch.pass('read back');
  };
  const product = await startBenchProduct(controlPlane, watch, () => void readBack());
  try {
    const baseline: BaselineSample[] = [];
    const pauses: PauseSample[] = [];
    const takeBaseline = async () => {
      baseline.push(await readAndPatch(plain));
      await resetPool(kube, benchPools[0]);
    };
    const takePause = async () => {
      pauses.push(await pushAndReadBack(product, watch));
      await settle({ kube, product, watch });
    };
    await settle({ kube, product, watch });
    for (let round = 0; round < warmUp + samples; round += 1) {
      for (const take of round % 2 === 0 ? [takeBaseline, takePause] : [takePause, takeBaseline]) {
        await setTimeout(restMs);
        await take();
      }
    }
    return { baseline: baseline.slice(warmUp), pauses: pauses.slice(warmUp) };
  } finally {
    plain.close();
    await product.stop();
    stopTiming();
    for (const name of benchPools) await kube.delete(`${paths.pools}/${name}`);
  }
}

async function createWorld(kube: Kube): Promise<void> {
  for (const name of benchPools) await createPool(kube, name, name === benchPools[0] ? [benchApplications[0]] : []);
  for (const name of benchApplications) await createApplication(kube, name);
}

/** The least that anybody can do who pauses a pool and guards the write: read it, then patch pause and record
 *  together. */
async function readAndPatch(plain: PlainClient): Promise<BaselineSample> {
  const startedMs = performance.now();
  const { metadata } = await plain.get(poolPath);
  const gotMs = performance.now();
  const paused = await plain.mergePatch(`${poolPath}?fieldManager=poolkeeper`, {
    metadata: {
      resourceVersion: metadata.resourceVersion,
      annotations: { 'poolkeeper.dev/holds': JSON.stringify(sampleRecord()) },
    },
    spec: { paused: true },
  });
  const endedMs = performance.now();
  if (paused.spec.paused !== true) throw new Error('the baseline did not pause the pool');
  return { total: endedMs - startedMs, get: gotMs - startedMs, patch: endedMs - gotMs };
}

async function pushAndReadBack(product: BenchProduct, watch: Stopwatch): Promise<PauseSample> {
  watch.start();
  await product.push(benchApplications[0]);
  await Promise.all([watch.until('read back'), watch.until('view saved')]);
  const between = (from: Mark, to: Mark) => watch.at(to) - watch.at(from);
  const read: readonly Mark[] = ['applications read', 'pools read', 'memory read'];
  const look = Math.max(...read.map((mark) => between('begun', mark)));
  return {
    paused: between('received', 'patched'),
    readBack: between('received', 'read back'),
    receive: between('received', 'begun'),
    look,
    decide: between('begun', 'patch sent') - look,
    patch: between('patch sent', 'patched'),
    get: between('patched', 'read back'),
    afterwards: between('patched', 'view saved'),
  };
}

/** Brings everything to where it was before the push: the pool, and by a tick what Poolkeeper remembers of it. */
async function settle({
  kube,
  product,
  watch,
}: {
  readonly kube: Kube;
  readonly product: BenchProduct;
  readonly watch: Stopwatch;
}): Promise<void> {
  await resetPool(kube, benchPools[0]);
  watch.start();
  await product.tick();
  await watch.until('view saved');
  await product.forgetRaces();
}

/** As large as the record that Poolkeeper writes for a push. */
function sampleRecord() {
  const at = new Date().toISOString();
  const why = `a push of 01234567 will make Argo CD sync argocd/${benchApplications[0]}`;
  return {
    v: 1,
    holds: [
      {
        id: `sync/bench/argocd/${benchApplications[0]}`,
        kind: 'sync',
        who: `argocd/${benchApplications[0]}`,
        why,
        since: at,
        until: at,
        phase: 'expected',
        uid: '01234567-89ab-cdef-0123-456789abcdef',
        pushedAt: at,
        revision: '0123456789abcdef0123456789abcdef01234567',
      },
    ],
    pause: 'ours',
    pausedSince: at,
    last: { did: 'paused', at, why },
  };
}
