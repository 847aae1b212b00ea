import type { Warning } from '../disruption.ts';
import type { Facet } from '../facet.ts';
import { line } from './line.ts';
import { unsupported } from './shared-warnings.ts';

/** Sections that the MCO does not change on a running node. Source: MCO reconcile.go. */
export function lintSections(facets: readonly Facet[]): readonly Warning[] {
  return facets.flatMap(({ kind, name }): readonly Warning[] => {
    if (kind === 'user' && name !== 'core') return [unsupported(`user ${line(name)}`, 'only user core can be managed')];
    if (kind !== 'opaque') return [];
    return [unsupported(`section ${line(name)}`, 'it cannot be changed on a running node')];
  });
}
