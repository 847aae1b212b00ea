import { asWord } from '../../../functions/core/text/phrases.ts';
import type { KubeObject } from '../../manifests/kube-object.ts';

/** Plurals other than the lower-case kind with an `s`. */
const plurals: Readonly<Record<string, string>> = { ValidatingAdmissionPolicy: 'validatingadmissionpolicies' };

/** Path of an object in the Kubernetes API. */
export function objectPath({ apiVersion, kind, metadata: { name, namespace } }: KubeObject): string {
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const home = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${base}${home}/${plurals[kind] ?? `${kind.toLowerCase()}s`}/${encodeURIComponent(name)}`;
}

/** As shown to people. Names of roles and bindings may be any text without a slash, lines included. */
export function objectName({ kind, metadata: { name, namespace } }: KubeObject): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${asWord(name)}`;
}
