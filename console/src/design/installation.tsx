import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { call, type ValueOf } from '../api/call.ts';
import classes from './installation.module.css';

type SignInMethods = ValueOf<'/admin/sign-in/methods'>;

/** What the server tells everybody: the ways to sign in, name and colour of the installation. */
export function useSignInMethods(): UseQueryResult<SignInMethods> {
  return useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => call('/admin/sign-in/methods', {}, { signal }),
    staleTime: Infinity,
  });
}

/** Names the page in the browser, with the installation. */
export function usePageTitle(title: string): void {
  const name = useSignInMethods().data?.installation.name ?? 'Tankeeper';
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
}

/** The name of the installation on its colour, so that test and production are told apart. */
export function InstallationName(): ReactNode {
  const { name = null, colour = null } = useSignInMethods().data?.installation ?? {};
  return (
    <span
      className={classes.name}
      data-marked={colour === null ? undefined : ''}
      style={colour === null ? undefined : { background: colour, color: readableOn(colour) }}
    >
      {name ?? 'Tankeeper'}
    </span>
  );
}

/** The luminance at which black and white have the same contrast, of 4.58 (WCAG 2.2, 1.4.3). */
const EVEN = 0.179;

/** @param colour `#` and six hexadecimal digits */
function readableOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > EVEN ? 'black' : 'white';
}
