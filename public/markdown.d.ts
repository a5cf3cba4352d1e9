// A page of docs/, which Vite serves as a file: its address.
declare module "*.md?url" {
  const address: string;
  export default address;
}
