// What the tests of the vault load into a page.
export { h, render } from 'preact';
export { openVault } from '../../../app/src/vault/open-vault.ts';
export { measuredRounds, passphraseKey } from '../../../app/src/vault/passphrase-key.ts';
