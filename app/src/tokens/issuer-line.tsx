import type { JSX } from 'preact';
import type { Issuer } from '../../../src/ocra/issuer.ts';

/** Who has issued a token, as its roll-out has signed it. The logo is part of the name: nothing is loaded for it. */
export function IssuerLine({ issuer: { name, logo } }: { issuer: Issuer }): JSX.Element {
  return (
    <span class="issuer">
      <IssuerLogo logo={logo} />
      <bdi>{name}</bdi>
    </span>
  );
}

/** @param logo in base64url; empty: none */
export function IssuerLogo({ logo }: Pick<Issuer, 'logo'>): JSX.Element | null {
  const base64 = logo.replaceAll('-', '+').replaceAll('_', '/');
  return logo === '' ? null : <img class="issuer-logo" alt="" src={`data:image/png;base64,${base64}`} />;
}
