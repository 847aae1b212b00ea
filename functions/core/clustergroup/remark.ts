/** What an import says aloud. `trap`: the files do something else than they seem to; `refused`: not taken because it
 *  cannot be right; `not taken`: has no place in a sequence; `hint`: worth knowing. */
export interface Remark {
  readonly kind: 'trap' | 'refused' | 'not taken' | 'hint';
  readonly code: RemarkCode;
  /** Path of the key: `clusterGroup.subscriptions.odf.sequenceJob.hookType`. */
  readonly at: string;
  /** A sentence. */
  readonly says: string;
}

/** Stable: people and scripts filter by them. */
export type RemarkCode =
  | 'annotation-not-read'
  | 'application-before-operators'
  | 'application-waves-wait-for-nothing'
  | 'application-without-wave'
  | 'chart-refuses-key'
  | 'chart-refuses-value'
  | 'chart-render-fails'
  | 'cluster-extension'
  | 'command-not-a-list'
  | 'csv-not-pinned'
  | 'disabled-is-not-a-boolean'
  | 'disabled-sticks'
  | 'entry-not-a-map'
  | 'gate-after-what-should-wait'
  | 'gate-before-its-operator'
  | 'gate-no-job'
  | 'gate-of-any'
  | 'gate-of-disabled'
  | 'gate-of-nothing'
  | 'gate-without-annotations'
  | 'group-name'
  | 'hook-gates-nothing'
  | 'hook-presync'
  | 'hook-unknown'
  | 'invalid-name'
  | 'key-not-taken'
  | 'key-without-effect'
  | 'manual-approval'
  | 'missing-kind-fails-dry-run'
  | 'namespace-annotations'
  | 'namespace-wave'
  | 'no-manifest'
  | 'no-name'
  | 'no-steps'
  | 'null-removes'
  | 'object-twice'
  | 'object-without-namespace'
  | 'parameters-unknown'
  | 'pattern-unknown'
  | 'sequence-refused'
  | 'shared-file'
  | 'short-ttl'
  | 'template-not-taken'
  | 'template-text'
  | 'two-gates-of-one-name'
  | 'values-not-taken'
  | 'wave-reads-as-0'
  | 'zero-wave';

export function trap(code: RemarkCode, at: string, says: string): Remark {
  return { kind: 'trap', code, at, says };
}

export function refused(code: RemarkCode, at: string, says: string): Remark {
  return { kind: 'refused', code, at, says };
}

export function notTaken(code: RemarkCode, at: string, says: string): Remark {
  return { kind: 'not taken', code, at, says };
}

export function hint(code: RemarkCode, at: string, says: string): Remark {
  return { kind: 'hint', code, at, says };
}
