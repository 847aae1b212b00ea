/** Characters. Source: Kubernetes apimachinery util/validation `DNS1123SubdomainMaxLength`. */
const longestName = 253;

/** Lower-case letters, digits, `-` and `.`, as the API server has them for objects of every kind that we name. */
const objectName = /^[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?$/;

/** Whether a text of others reads as a name in a sentence of ours: one word of what names of objects, releases and
 *  accounts are made of, and no option of a command. Many fields that should be names take any text. */
export function readsAsName(text: string): boolean {
  return /^\w[\w.:-]{0,252}$/.test(text);
}

/** Whether an object can have the name, which manifests and Applications say as they like. It becomes part of ids, keys
 *  and paths: the path of another name is refused, or leads to something else, and what is asked for by it is never
 *  known to be gone. */
export function mayBeObjectName(name: string): boolean {
  return name.length <= longestName && objectName.test(name);
}
