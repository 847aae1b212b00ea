/** One read that a diagnosis needs, as data: the rules of `diagnose/` ask, the port ObjectReader answers. */
export interface Question {
  /** GET path of the Kubernetes API, e.g. `/apis/policy/v1/namespaces/shop/poddisruptionbudgets`. */
  readonly path: string;
  /** Parameters such as `labelSelector`; may be empty. */
  readonly query: Readonly<Record<string, string>>;
  /** Requested by Accept header. `object` (the default): whole objects. `metadata`: PartialObjectMetadata, for objects
   *  whose content must not be read (MachineConfigs embed the pull secret). `table`: Table, for long lists of which
   *  only the printed columns are needed (2,000 nodes: about 200 kB instead of 40 MB). A server may answer a list where
   *  a table was requested; the rules read both. `text`: plain text, for logs. `discovery`: all kinds that are served
   *  below `/api` or `/apis`, in one answer. */
  readonly form?: 'object' | 'metadata' | 'table' | 'text' | 'discovery' | undefined;
}

export type Answer =
  | {
      readonly kind: 'found';
      readonly body: unknown;
      readonly readAt: Date;
      /** Fields of the object that are not whole in `body`: a text in them is longer than a message, or something is
       *  nested too deep. Absent: all are. */
      readonly cut?: readonly string[] | undefined;
    }
  /** No such object, or no such kind on this cluster (404). */
  | { readonly kind: 'absent'; readonly readAt: Date }
  | {
      readonly kind: 'failed';
      readonly why: string;
      readonly readAt: Date;
      /** Permission was denied. */
      readonly isForbidden?: boolean | undefined;
      /** Nothing answered, or not in time. */
      readonly isUnreachable?: boolean | undefined;
      /** The answer was larger than may be read. */
      readonly isTooLarge?: boolean | undefined;
    };

/** Equal for equal questions, whatever the order of their parameters, so that none is asked twice in one diagnosis. */
export function questionKey(question: Question): string {
  const query = Object.entries(question.query)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return `${question.form ?? 'object'} ${question.path}?${query.join('&')}`;
}
