import type { Incident } from '../../functions/core/alerts/incident.ts';
import { anIncident } from '../fakes/index.ts';
import { passAfter } from '../functions/core/judge/pass-over.ts';
import { type MessageScene, sceneNow } from './scenes.ts';

/** The incident that the product's own rules make of a scene, just opened. */
export async function incidentOf({ kind, minutes, scene }: MessageScene, number: number): Promise<Incident> {
  const { troubles } = await passAfter(minutes, scene);
  const found = troubles.find((trouble) => trouble.key.kind === kind);
  if (found === undefined) throw new Error(`no ${kind} among ${troubles.map(({ key }) => key.kind)}`);
  // The cluster's name in the tests is too short to be one that people have.
  const trouble = { ...found, key: { ...found.key, cluster: 'prod-eu-1' } };
  const openedAt = new Date(sceneNow.getTime() - 40_000).toISOString();
  return anIncident({
    key: trouble.key,
    number,
    trouble,
    since: trouble.since,
    openedAt,
    notes: [{ seq: 1, at: openedAt, kind: 'opened', text: trouble.headline }],
  });
}
