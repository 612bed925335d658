/** The beginning of every path of this installation: empty, or such as `/assay`. */
export const publicPath =
  document.querySelector<HTMLMetaElement>('meta[name="public-path"]')?.content ?? '';
