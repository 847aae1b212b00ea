import type { UpdateKind } from './disruption.ts';
import { type FacetChange, subjectOf } from './facet-change.ts';

/** Distinguishes an update of the operating system from a change of files and settings: a node that reports `expected
 *  target osImageURL` waits for the former, `content mismatch for file` for the latter, and a new OS image in the
 *  render comes from no commit. */
export function updateKind(changes: readonly FacetChange[]): UpdateKind {
  const kinds = changes.map((change) => subjectOf(change)?.kind);
  const isOs = kinds.some((kind) => kind === 'osImageURL' || kind === 'baseOSExtensionsContainerImage');
  const isFiles = kinds.some((kind) => kind !== 'osImageURL' && kind !== 'baseOSExtensionsContainerImage');
  return joinUpdates([isOs ? 'os' : 'nothing', isFiles ? 'files' : 'nothing']);
}

/** The combined kind of several changes. */
export function joinUpdates(updates: readonly UpdateKind[]): UpdateKind {
  const moving = new Set(updates.filter((update) => update !== 'nothing'));
  if (moving.size === 0) return 'nothing';
  if (moving.has('unknown')) return 'unknown';
  const isOs = moving.has('os') || moving.has('os-and-files');
  const isFiles = moving.has('files') || moving.has('os-and-files');
  return isOs && isFiles ? 'os-and-files' : isOs ? 'os' : 'files';
}
