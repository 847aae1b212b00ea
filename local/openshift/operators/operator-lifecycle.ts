import type { Registry } from '../api-server/registry.ts';
import { clusterServiceVersions, subscriptions } from '../api-server/resource-types.ts';
import type { Pace } from '../pace.ts';

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
}

/** Milliseconds of the cluster's time: OLM resolves a Subscription, and then its operator is installed. */
const times = { resolveMs: 15_000, installMs: 60_000 } as const;

const manager = 'olm';

/** A small Operator Lifecycle Manager: what a Subscription asks for is installed, with automatic approval. */
export function startOperatorLifecycle({ registry, pace }: Parts): void {
  registry.subscribe(({ kind, type, object: { metadata } }) => {
    if (kind !== 'ADDED' || type !== subscriptions) return;
    const key = { name: metadata.name, namespace: metadata.namespace ?? '' };
    pace.after(times.resolveMs, () => resolve({ registry, pace }, key));
  });
}

interface Key {
  readonly name: string;
  readonly namespace: string;
}

function resolve({ registry, pace }: Parts, key: Key): void {
  const subscription = registry.get(subscriptions, key.name, key.namespace);
  if (subscription === undefined) return;
  const csv = { name: String(subscription.spec?.['startingCSV'] ?? `${key.name}.v1.0.0`), namespace: key.namespace };
  registry.create(clusterServiceVersions, { metadata: csv, spec: {}, status: phase('Installing') }, installing);
  setStatus(registry, key, { state: 'UpgradePending', currentCSV: csv.name });
  pace.after(times.installMs, () => {
    const write = { manager, subresource: 'status' } as const;
    if (registry.get(clusterServiceVersions, csv.name, csv.namespace) === undefined) return;
    const succeed = (draft: { status?: object }) => Object.assign(draft, { status: phase('Succeeded') });
    registry.modify(clusterServiceVersions, csv, succeed, write);
    setStatus(registry, key, { state: 'AtLatestKnown', currentCSV: csv.name, installedCSV: csv.name });
  });
}

const installing = { manager, withStatus: true } as const;

function phase(name: 'Installing' | 'Succeeded') {
  const message = name === 'Installing' ? 'waiting for the operator to start' : 'install strategy completed';
  return { phase: name, message };
}

function setStatus(registry: Registry, key: Key, status: Readonly<Record<string, string>>): void {
  if (registry.get(subscriptions, key.name, key.namespace) === undefined) return;
  const change = (draft: { status?: object }) => Object.assign(draft, { status });
  registry.modify(subscriptions, key, change, { manager, subresource: 'status' });
}
