/** A Kubernetes manifest, reduced to what determines which pools it affects and how. Its content may be secret: it is
 *  compared and classified in memory, and never stored, logged or sent. */
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
  /** Repository paths of the two sides; the reason that people read names them. */
  readonly files: readonly string[];
  /** Kustomize builds what is applied from it: with another name, other labels or other content, and it may be no more
   *  than a patch. Absent: it is applied as it stands. */
  readonly isBuilt?: true | undefined;
  /** Applications whose syncs bring it. Absent: not known, so that it may come without the others. */
  readonly syncedBy?: readonly string[] | undefined;
  /** Git no longer has it, and the cluster may keep it, for a while or for good. Absent: a sync deletes it. */
  readonly mayStay?: true | undefined;
}

/** What a push changes for one Application. */
export interface Change {
  /** Commits that the change starts from: an Application that is at another one gets more by its next sync than this
   *  change. Absent: not checked. */
  readonly from?: readonly string[] | undefined;
  /** The commit that the change leads to: a sync of that commit writes it. Absent: unknown. */
  readonly to?: string | undefined;
  readonly manifests: readonly ManifestChange[];
  /** What could not be read, or is rendered by a tool that is not run here, with the reason. If there is any, what the
   *  Application manages decides; `manifests` still count. */
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
