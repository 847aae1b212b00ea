import { unique } from '../text/unique.ts';

/** Security topics of a node, by path or name. */
const byPath: readonly (readonly [RegExp, string])[] = [
  [/^\/etc\/selinux\//, 'SELinux'],
  [/^\/etc\/ssh\/|\/\.ssh\//, 'sshd'],
  [/^\/etc\/sudoers/, 'sudo'],
  [/^\/etc\/polkit-1\/|^\/usr\/share\/polkit-1\//, 'polkit'],
  [/^\/etc\/pam\.d\/|^\/etc\/security\//, 'PAM'],
  [/^\/etc\/(?:passwd|g?shadow|group|login\.defs)-?$/, 'accounts'],
  [/^\/etc\/pki\/|ca-bundle|ca-trust|\/kubelet-ca\.crt$/, 'CA bundle'],
  [/^\/etc\/containers\/policy\.json$|^\/etc\/crio\/policies|\/registries\.d\//, 'image signatures'],
  [/^\/etc\/containers\/registries\.conf/, 'image registries'],
  [/^\/etc\/(?:audit|auditd)(?:\/|$)|^\/etc\/kubernetes\/audit/, 'audit'],
  [/^\/etc\/crypto-policies\//, 'crypto policy'],
  [/^\/etc\/sysctl\.(?:d\/|conf$)/, 'kernel settings'],
  [/^\/etc\/modprobe\.d\/|^\/etc\/modules-load\.d\//, 'kernel modules'],
  [/^\/etc\/(?:nftables|iptables|firewalld|sysconfig\/(?:nftables|iptables))/, 'firewall'],
  [/^\/etc\/usbguard\//, 'USBGuard'],
  [/^\/etc\/fapolicyd\//, 'fapolicyd'],
  [/^\/etc\/(?:crypttab|luks|clevis|tang)/, 'disk encryption'],
  [/seccomp|apparmor/i, 'seccomp'],
  [/^\/etc\/kubernetes\/kubelet\.conf$|kubelet\.service/, 'kubelet'],
  [/^\/var\/lib\/kubelet\/config\.json$/, 'pull secret'],
  [/^\/etc\/cron|^(?=.*\/systemd\/system\/).*\.timer$/, 'scheduled commands'],
];

/** Kernel arguments, settings and commands that affect the protection of a node. */
const byText: readonly (readonly [RegExp, string])[] = [
  [/\b(?:selinux|enforcing)=\d|\bSELINUX(?:TYPE)?=|\b(?:setenforce|semanage|setsebool|chcon|restorecon)\b/, 'SELinux'],
  [
    /\bmitigations=|\b(?:spectre_v2|nospectre_v[12]|nopti|pti|mds|l1tf|tsx|spec_store_bypass_disable)=?/,
    'CPU mitigations',
  ],
  [/\bfips=|\bfips-mode-setup\b/, 'FIPS mode'],
  [/\baudit=\d|\bauditctl\b/, 'audit'],
  [/\b(?:ima_|evm=|lockdown=|module\.sig_enforce|lsm=|security=)/, 'kernel lockdown'],
  [/\b(?:systemd\.debug-shell|rd\.break|init=\/|single\b(?=\s*$))/, 'boot shell'],
  [/\bupdate-crypto-policies\b/, 'crypto policy'],
  [/\b(?:useradd|usermod|chpasswd|visudo)\b|NOPASSWD/, 'accounts'],
  [/PermitRootLogin|PasswordAuthentication|AuthorizedKeysFile/, 'sshd'],
  [/insecureAcceptAnything|insecure\s*=\s*true|--tls-verify=false/, 'image signatures'],
  [/\|(?<=\b(?:curl|wget)\b[^\n|]*\|)\s*(?:ba)?sh\b/, 'downloaded commands'],
];

/** Most characters of a text that are searched. */
const longestText = 200_000;

/** Security topics of a change; empty if none. */
export function securityTopics(name: string, text: string): readonly string[] {
  const looked = text.slice(0, longestText);
  const topics = [
    ...byPath.filter(([pattern]) => pattern.test(name)),
    ...byText.filter(([pattern]) => pattern.test(looked)),
  ].map(([, topic]) => topic);
  return unique(topics);
}
