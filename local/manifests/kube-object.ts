/** An object of a manifest. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** On everything that we install, so that it can be found: `oc get all -l app.kubernetes.io/part-of=poolkeeper`. */
export const ourLabels = { 'app.kubernetes.io/part-of': 'poolkeeper' } as const;

/** The annotation of an admission policy that holds its version. */
export const versionAnnotation = 'poolkeeper.dev/policy-version';

/** Our service account on a cluster. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

export function userNameOf({ namespace, name }: Account): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Pools that cluster upgrades wait for by their name alone. */
export const requiredNames = ['master', 'arbiter'] as const;
