"""What comes in numbered releases: "Java 17", "Android 9". Names of products, the same in every language."""

from __future__ import annotations

RELEASED = frozenset(
    "android angular ansible bootstrap bun centos chrome clang cmake cuda cypress debian deno django docker drupal "
    "eclipse edge elasticsearch electron erlang fedora firefox flask flutter gcc git gitlab golang gradle grafana "
    "hadoop haskell helm hibernate ios ipados jdk jenkins jquery java joomla julia kafka keycloak kotlin kubernetes "
    "laravel linux llvm lua macos magento mariadb matlab maven moodle mongo mongodb mysql neo4j next nextcloud nginx "
    "node nodejs nuxt numpy odoo openjdk openssl openshift oracle pandas perl php postgres postgresql powershell "
    "prometheus puppet python pytorch qt rails react redis rhel ruby rust safari sap scala solr spark spring sqlite "
    "suse svelte swift symfony tensorflow terraform tomcat tvos typescript ubuntu unity unreal vue watchos webpack "
    "windows wordpress xcode yarn zookeeper".split()
)
