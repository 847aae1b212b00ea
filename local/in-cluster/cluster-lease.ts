import * as z from 'zod';
import type { KubeClient } from '../../functions/adapters/kubernetes/kube-client.ts';
import { understand } from '../../functions/adapters/kubernetes/metadata.ts';
import type { LeaseRecord } from './judge-lease.ts';

/** A Lease as it was read. */
export interface ReadLease {
  readonly record: LeaseRecord;
  /** What a write names, so that it is refused after anybody else's. */
  readonly version: string;
}

/** The one Lease that an election is about. Every method throws Transient; of kind `conflict` if somebody else was
 *  faster. */
export interface LeaseStore {
  /** Undefined: there is none. */
  read(): Promise<ReadLease | undefined>;
  create(record: LeaseRecord): Promise<void>;
  replace(version: string, record: LeaseRecord): Promise<void>;
}

export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** Absent fields count as a Lease that nobody holds: kubectl can make such a one. */
const Lease = z.object({
  metadata: z.object({ resourceVersion: z.string() }),
  spec: z
    .object({
      holderIdentity: z.string().nullish(),
      leaseDurationSeconds: z.number().nullish(),
      acquireTime: z.string().nullish(),
      renewTime: z.string().nullish(),
      leaseTransitions: z.number().nullish(),
    })
    .nullish(),
});

const query = { fieldManager: 'poolkeeper' };

export function clusterLease(client: KubeClient, { namespace, name }: LeaseName): LeaseStore {
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
  const path = `${collection}/${encodeURIComponent(name)}`;
  return {
    async read() {
      const found = await client.get(path);
      if (found === undefined) return undefined;
      const { metadata, spec } = understand(Lease, found, path);
      const record: LeaseRecord = {
        holder: spec?.holderIdentity ?? '',
        durationSeconds: spec?.leaseDurationSeconds ?? 0,
        acquireTime: spec?.acquireTime ?? '',
        renewTime: spec?.renewTime ?? '',
        transitions: spec?.leaseTransitions ?? 0,
      };
      return { record, version: metadata.resourceVersion };
    },
    async create(record) {
      await client.post(collection, query, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name, namespace, labels: { 'app.kubernetes.io/part-of': 'poolkeeper' } },
        spec: specOf(record),
      });
    },
    async replace(version, record) {
      await client.mergePatch(path, query, { metadata: { resourceVersion: version }, spec: specOf(record) });
    },
  };
}

function specOf({ holder, durationSeconds, acquireTime, renewTime, transitions }: LeaseRecord) {
  return {
    holderIdentity: holder,
    leaseDurationSeconds: durationSeconds,
    acquireTime,
    renewTime,
    leaseTransitions: transitions,
  };
}
