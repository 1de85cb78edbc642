// What the tests of the vault load into a page.
export { h, render } from 'preact';
export { openVault } from '../../../../app/src/vault/open-vault.ts';
export { measuredRounds, passphraseKey } from '../../../../app/src/vault/passphrase-key.ts';
export { LanguageContext } from '../../../../app/src/language/language.ts';
export { BackupScreen } from '../../../../app/src/vault-screens/backup-screen.tsx';
export { FirstStart } from '../../../../app/src/vault-screens/first-start.tsx';
export { SecuritySettings } from '../../../../app/src/vault-screens/security-settings.tsx';
export { UnlockScreen } from '../../../../app/src/vault-screens/unlock-screen.tsx';
