/** A Kubernetes manifest as far as the question needs it: which pools does it reach, and with what? Its content may
 *  hold secrets: it is compared and classified in memory, and never stored, logged or sent. */
export interface Manifest {
  readonly group: string;
  readonly kind: string;
  /** Empty for what lives in no namespace, and where the manifest leaves it to the Application. */
  readonly namespace: string;
  /** Empty when only `generateName` is given. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Everything else of the object, as parsed: `spec`, `data` ... */
  readonly body: Readonly<Record<string, unknown>>;
}

/** One object that differs between two revisions. At least one side is there. */
export interface ManifestChange {
  readonly before: Manifest | undefined;
  readonly after: Manifest | undefined;
  /** Repository paths where the two sides stand, for the reason. */
  readonly files: readonly string[];
}

/** What a push changes for one Application. `unknown`: something could not be read or is rendered by a tool that is
 *  not run here; then what the Application manages decides, and the reasons are told. What is known is known
 *  nevertheless. */
export interface Change {
  /** Commits at any of which the Application may stand for this to be all that is new to it. Absent: not asked. */
  readonly from?: readonly string[] | undefined;
  /** The commit that it leads to: a sync of it writes this change. Absent: not told. */
  readonly to?: string | undefined;
  readonly manifests: readonly ManifestChange[];
  readonly unknown: readonly { readonly path: string; readonly why: string }[];
}

/** Identity of an object across revisions and files. */
export function manifestKey({
  group,
  kind,
  namespace,
  name,
}: Pick<Manifest, 'group' | 'kind' | 'namespace' | 'name'>): string {
  return `${group}/${kind}/${namespace}/${name}`;
}
