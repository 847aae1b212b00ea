import type { ObservedApplication } from './application.ts';
import { whyIgnored } from './pools-annotation.ts';

/** An Application whose annotation names pools without effect. */
export interface IgnoredAnnotation {
  /** `<namespace>/<name>`. */
  readonly application: string;
  readonly why: string;
}

/** Those that are kept and shown, at most. */
const mostShown = 50;

export function ignoredAnnotations(applications: readonly ObservedApplication[]): readonly IgnoredAnnotation[] {
  return applications
    .flatMap((observed) => {
      if (observed.kind !== 'seen') return [];
      const { namespace, name, named } = observed.application;
      const why = whyIgnored(named);
      return why === undefined ? [] : [{ application: `${namespace}/${name}`, why }];
    })
    .toSorted((a, b) => (a.application < b.application ? -1 : 1))
    .slice(0, mostShown);
}
