import { byTurns } from '../text/rounds.ts';
import { type ObservedApplication, projectOf } from './application.ts';
import { whyIgnored } from './pools-annotation.ts';

/** An Application whose annotation names pools without effect. */
export interface IgnoredAnnotation {
  /** `<namespace>/<name>`, or how many more there are. */
  readonly application: string;
  readonly why: string;
}

/** Those that are kept and shown, at most. */
const mostShown = 50;

/** By name, of each owner one after the other, and how many have no room: whoever has many hides none of others,
 *  also where a view has room for fewer. */
export function ignoredAnnotations(applications: readonly ObservedApplication[]): readonly IgnoredAnnotation[] {
  const all = applications
    .flatMap((observed) => {
      if (observed.kind !== 'seen') return [];
      const { namespace, name, named } = observed.application;
      const why = whyIgnored(named);
      const owner = `${namespace}/${projectOf(observed.application) ?? ''}`;
      return why === undefined ? [] : [{ application: `${namespace}/${name}`, why, owner }];
    })
    .toSorted((a, b) => (a.application < b.application ? -1 : 1));
  const shown = byTurns(all, ({ owner }) => owner).slice(0, mostShown);
  const more = all.length - shown.length;
  return [...shown.map(({ application, why }) => ({ application, why })), ...(more === 0 ? [] : [moreIgnored(more)])];
}

/** One that stands for those that are not shown. */
export function moreIgnored(left: number): IgnoredAnnotation {
  return { application: `${left} more`, why: 'not shown here; "poolkeeper doctor" names each' };
}
