/** A Kubernetes manifest, limited to what determines its pools and effect. Its content may be secret: it is compared
 *  and classified in memory, and never stored, logged or sent. */
export interface Manifest {
  readonly group: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects, and if the manifest leaves it to the Application. */
  readonly namespace: string;
  /** Empty if only `generateName` is given. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The rest of the object, as parsed: `spec`, `data` ... */
  readonly body: Readonly<Record<string, unknown>>;
}

/** One object that differs between two revisions. At least one side exists. */
export interface ManifestChange {
  readonly before: Manifest | undefined;
  readonly after: Manifest | undefined;
  /** Repository paths of the two sides, for the reason. */
  readonly files: readonly string[];
}

/** What a push changes for one Application. `unknown`: something could not be read or is rendered by a tool that is not
 *  run here; then what the Application manages decides, and the reasons are shown. What is known still counts. */
export interface Change {
  /** The change is all that is new to the Application only if it is at one of these commits. Absent: not checked. */
  readonly from?: readonly string[] | undefined;
  /** The commit that it leads to: a sync of it writes this change. Absent: unknown. */
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
