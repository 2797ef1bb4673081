# Ultra Motivator in a container: built with Swift, run without it.
#
#   docker build --tag ultra-motivator .
#   docker compose up

# Both stages use the same Debian: the program is linked against Debian's libraries. The tags name versions, not
# digests: no registry was reachable to look the digests up. `docker buildx imagetools inspect IMAGE` shows a digest;
# build with it as --build-arg SWIFT_IMAGE=IMAGE@sha256:… and --build-arg DEBIAN_IMAGE=IMAGE@sha256:….
ARG SWIFT_IMAGE=swift:6.3-bookworm
ARG DEBIAN_IMAGE=debian:bookworm-slim

FROM ${SWIFT_IMAGE} AS build
# --build-arg TRAITS=PostgreSQL builds with the shared store, which needs libpq.
ARG TRAITS=""
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libssl-dev libsqlite3-dev zlib1g-dev pkg-config \
        ${TRAITS:+libpq-dev} \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# Dependencies change more rarely than sources, so they have a layer of their own.
COPY Package.* ./
COPY scripts/resolved-versions scripts/resolved-versions.txt scripts/
RUN scripts/resolved-versions select .
COPY Sources Sources
# The style sheet and the icon are embedded in the program.
COPY Public Public
# The manifest names the test targets, and a manifest whose folders are not there is refused.
COPY Tests Tests
# Swift's libraries are linked statically, with full RELRO, as in scripts/build.
RUN swift build --configuration release --product motivator --static-swift-stdlib ${TRAITS:+--traits "$TRAITS"} \
        -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now \
    && install -D --strip --mode 0755 .build/release/motivator /out/motivator

FROM ${DEBIAN_IMAGE}
ARG TRAITS=""
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libssl3 libsqlite3-0 zlib1g libstdc++6 ${TRAITS:+libpq5} \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 motivator \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin motivator \
    && install --directory --owner 10001 --group 10001 --mode 0700 /certs /data
COPY --from=build /out/motivator /usr/local/bin/motivator
COPY Public /srv/public
# As a number, so that an orchestrator can see that it is not root.
USER 10001:10001
WORKDIR /data
# The authority and its keys; the accounts. Both belong to the machine, never to the image.
VOLUME ["/certs", "/data"]
EXPOSE 8443 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=10s --retries=3 CMD ["motivator", "healthcheck"]
ENTRYPOINT ["motivator"]
CMD ["serve", "--host", "0.0.0.0", "--database", "/data/motivator.sqlite", "--certificates", "/certs", "--public", "/srv/public"]
